"""What `reprosum list --json` says of a captured spec."""
import json
import subprocess


def report_of(build, spec):
    listed = subprocess.run([f"{build}/reprosum", "list", "--json", spec], capture_output=True,
                            text=True, check=True)
    return json.loads(listed.stdout)


def not_on_devices(build, spec):
    """The rows that a GPU could not replay, as sentences; no device is needed to tell."""
    report = report_of(build, spec)
    rows = [(row["routine"], json.dumps(row["guard"]), row["not_on_devices"])
            for row in report["kernels"]]
    rows += [(row["routine"], f"{kernel['shape']}, beta {kernel['beta']}", kernel["not_on_devices"])
             for row in report["matrices"] for kernel in row["kernels"]]
    return [f"{routine} {what}: not on devices: {why}" for routine, what, why in rows if why]


def interpreted(build, spec):
    """The rows of a spec that no generated kernel computes, as sentences."""
    report = report_of(build, spec)
    if report["host_isas"] == ["interpreter"]:
        print("note: this host runs no generated kernels, so they were not looked at")
        return []
    rows = [(row["routine"], row["guard"], row["kernel"] + " " + row["isa"])
            for row in report["kernels"]]
    rows += [(row["routine"], row["guard"], f"{kernel['shape']}, beta {kernel['beta']}: {kernel['kernel']}")
             for row in report["matrices"] for kernel in row["kernels"]]
    return [f"{routine} {json.dumps(guard)}: {kernel}"
            for routine, guard, kernel in rows if "interpreter" in kernel]
