"""What fault_test refuses. A wrong answer fails the loading of the package, and with it every test in it."""

load("//harness:defs.bzl", "fault_test_error")

def _case(want, plan = "x.yaml", targets = {}, set = {}, expect = "PASS", expect_violated = [], seeds = [1]):
    error = fault_test_error(plan, targets, set, expect, expect_violated, seeds)
    if want == None and error != None:
        fail("a good fault_test is refused: " + error)
    if want != None and (error == None or not error.startswith(want + ": ")):
        fail("want an error about %s, got: %s" % (want, error))

def check_refusals():
    """Calls fail() when a bad argument is let through or a good one is not."""
    _case(None)
    _case(None, expect = "FAIL", expect_violated = ["floor"])
    _case(None, targets = {"//a": "a", "//b": "b_2"}, set = {"n": 1}, seeds = [0, 7])
    _case("expect_violated", expect = "FAIL")
    _case("expect_violated", expect_violated = ["floor"])
    _case("expect_violated", expect = "FAIL", expect_violated = "floor")
    _case("expect_violated", expect = "FAIL", expect_violated = ["a,b"])
    _case("expect", expect = "ERROR")
    _case("expect", expect = "pass")
    _case("plan", plan = "")
    _case("targets", targets = {"//a": "a", "//b": "a"})
    _case("targets", targets = {"//a": "A b"})
    _case("targets", targets = ["//a"])
    _case("set", set = {"a=b": 1})
    _case("set", set = ["a=b"])
    _case("seeds", seeds = [])
    _case("seeds", seeds = [-1])
    _case("seeds", seeds = ["1"])
