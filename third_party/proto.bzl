"""One macro for protos: the system's protoc, and grpc_cpp_plugin where a service is declared."""

def squall_proto(name, src, deps = [], grpc = False, visibility = None):
    """A proto file as a cc_library.

    Include it by its path from the root: #include "faults/fault.pb.h".

    Args:
      name: the library's name.
      src: one .proto file of this package.
      deps: other squall_proto targets that the file imports.
      grpc: also generate the service's stubs (.grpc.pb.h, library name + "_grpc").
      visibility: as usual.
    """
    stem = src[:-len(".proto")]
    package = native.package_name()
    native.filegroup(
        name = name + "_src",
        srcs = [src] + [d + "_src" for d in deps],
        visibility = ["//visibility:public"],
    )
    common = "/usr/bin/protoc -I. -I/usr/include "
    native.genrule(
        name = name + "_gen",
        srcs = [name + "_src"],
        outs = [stem + ".pb.h", stem + ".pb.cc"],
        cmd = common + "--cpp_out=$(GENDIR) %s/%s" % (package, src),
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [stem + ".pb.cc"],
        hdrs = [stem + ".pb.h"],
        copts = ["-w"],
        visibility = visibility,
        deps = deps + ["//third_party:protobuf"],
    )
    if grpc:
        native.genrule(
            name = name + "_grpc_gen",
            srcs = [name + "_src"],
            outs = [stem + ".grpc.pb.h", stem + ".grpc.pb.cc"],
            cmd = common + "--plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin --grpc_out=$(GENDIR) %s/%s" % (package, src),
            visibility = ["//visibility:private"],
        )
        native.cc_library(
            name = name + "_grpc",
            srcs = [stem + ".grpc.pb.cc"],
            hdrs = [stem + ".grpc.pb.h"],
            copts = ["-w"],
            visibility = visibility,
            deps = [":" + name, "//third_party:grpc"],
        )
