"""fault_test: a plan as a Bazel test.

    load("//harness:defs.bzl", "fault_test")

    fault_test(
        name = "cache_survives_a_slow_link",
        plan = "cache.yaml",
        targets = {"//cache:server": "server"},  # ${bin.server} in the plan
        set = {"slow": "300ms"},                 # like --set slow=300ms
        seeds = [1, 2],
    )

The test runs the plan once for each seed and passes when every run ends with the expected verdict. It is hermetic: own
ports, own directories, no network but its own loopback; the report of each seed lies in the test's undeclared outputs
(bazel-testlogs/PACKAGE/NAME/test.outputs). One seed again: bazel test //:NAME --test_arg=--only_seed=7.
"""

VERDICTS = ["PASS", "FAIL", "INCONCLUSIVE", "ABORTED"]

def fault_test_error(plan, targets, set, expect, expect_violated, seeds):
    """What is wrong with the arguments of a fault_test.

    Args:
      plan: as of fault_test.
      targets: as of fault_test.
      set: as of fault_test.
      expect: as of fault_test.
      expect_violated: as of fault_test.
      seeds: as of fault_test.

    Returns:
      A sentence that starts with the argument's name, or None.
    """
    if type(plan) != "string" or not plan:
        return "plan: want the label of a plan file"
    if type(targets) != "dict":
        return "targets: want {label: name}"
    names = {}
    for label, name in targets.items():
        if not name or name.strip("abcdefghijklmnopqrstuvwxyz0123456789_"):
            return "targets: '%s' of %s is no name; use a-z, 0-9 and _" % (name, label)
        if name in names:
            return "targets: %s and %s are both called '%s'" % (names[name], label, name)
        names[name] = label
    if type(set) != "dict":
        return "set: want {param: value}"
    for key in set:
        if not key or "=" in key:
            return "set: '%s' is no name of a param" % key
    if expect not in VERDICTS:
        return "expect: '%s' is none of %s" % (expect, ", ".join(VERDICTS))
    if type(expect_violated) != "list":
        return "expect_violated: want a list of names of invariants"
    for name in expect_violated:
        if not name or "," in name:
            return "expect_violated: '%s' is no name of an invariant" % name
    if expect == "FAIL" and not expect_violated:
        return "expect_violated: a test that expects FAIL names the invariants that are to be violated"
    if expect != "FAIL" and expect_violated:
        return "expect_violated: nothing is to be violated when expect is %s" % expect
    if type(seeds) != "list" or not seeds:
        return "seeds: want at least one"
    for seed in seeds:
        if type(seed) != "int" or seed < 0:
            return "seeds: '%s' is no whole number from 0 on" % seed
    return None

def _quoted(argument):
    """Bazel expands $ and splits `args` like a shell; this argument stays one and as it is, but for $(rootpath)."""
    return "'" + argument.replace("'", "'\\''") + "'"

def _fault_test_impl(ctx):
    test = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = test, target_file = ctx.executable.runner, is_executable = True)
    runfiles = ctx.runfiles(files = ctx.files.data + [ctx.executable.runner])
    for target in [ctx.attr.runner] + ctx.attr.data:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = test, runfiles = runfiles)]

_fault_test = rule(
    doc = "The rule behind the macro fault_test: the runner under the test's own name.",
    implementation = _fault_test_impl,
    attrs = {
        "data": attr.label_list(allow_files = True, doc = "The plan, the programs and what else is read at run time."),
        "runner": attr.label(executable = True, cfg = "target", mandatory = True),
    },
    test = True,
)

def fault_test(
        name,
        plan,
        targets = {},
        set = {},
        expect = "PASS",
        expect_violated = [],
        seeds = [1],
        data = [],
        tags = [],
        runner = "//harness/cli:fault_test_runner",
        **kwargs):
    """Runs a plan as a test; see the top of this file.

    Args:
      name: of the test.
      plan: label of the plan file.
      targets: {label: name}; the program that the label builds is ${bin.name} in the plan.
      set: {param: value}, params of the plan.
      expect: the verdict of every run: PASS, FAIL, INCONCLUSIVE or ABORTED.
      expect_violated: with expect = "FAIL", the invariants that must end VIOLATED, exactly these.
      seeds: one run for each.
      data: further files that the programs read; they find them by their paths in the runfiles.
      tags: as of any test; "block-network" is added, unless "requires-network" is among them.
      runner: for the macro's own tests.
      **kwargs: size, timeout, flaky, visibility ...; the verdict is there at least 5 s before the time-out.
    """
    error = fault_test_error(plan, targets, set, expect, expect_violated, seeds)
    if error:
        fail("fault_test '%s': %s" % (name, error))
    args = ["--plan=$(rootpath %s)" % plan]
    args += ["--bin=%s=$(rootpath %s)" % (targets[label], label) for label in targets]
    args += ["--set=%s=%s" % (key, str(value).replace("$", "$$")) for key, value in set.items()]
    args.append("--expect=" + expect)
    if expect_violated:
        args.append("--expect_violated=" + ",".join(expect_violated))
    args += ["--seed=%d" % seed for seed in seeds]
    inputs = [plan] + [label for label in targets] + data
    _fault_test(
        name = name,
        args = [_quoted(argument) for argument in args],
        data = [label for i, label in enumerate(inputs) if label not in inputs[:i]],
        runner = runner,
        tags = tags + [tag for tag in ["block-network"] if tag not in tags and "requires-network" not in tags],
        **kwargs
    )
