"""What `reprosum list --json` says of a captured spec."""
import json
import subprocess


def interpreted(build, spec):
    """The rows of a spec that no generated kernel computes, as sentences."""
    listed = subprocess.run([f"{build}/reprosum", "list", "--json", spec], capture_output=True,
                            text=True, check=True)
    report = json.loads(listed.stdout)
    if report["host_isas"] == ["interpreter"]:
        print("note: this host runs no generated kernels, so they were not looked at")
        return []
    rows = [(row["routine"], row["guard"], row["kernel"] + " " + row["isa"])
            for row in report["kernels"]]
    rows += [(row["routine"], row["guard"], f"{kernel['shape']}, beta {kernel['beta']}: {kernel['kernel']}")
             for row in report["matrices"] for kernel in row["kernels"]]
    return [f"{routine} {json.dumps(guard)}: {kernel}"
            for routine, guard, kernel in rows if "interpreter" in kernel]
