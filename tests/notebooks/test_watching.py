"""`%x10metrics --watch` in a real kernel: what is shown changes while another cell keeps the kernel busy."""

from kernel import PATIENCE_S, Kernel, started

SETUP = """\
%load_ext x10_jupyter
import numpy as np, time
import x10_jupyter as x10
x = x10.tensor(np.ones(3, np.float32))
x10.barrier()
"""
BUSY = """\
counters = get_ipython().magics_manager.registry["MetricsMagics"].watched[0].counters
before, end = counters.value, time.monotonic() + 60
while counters.value == before and time.monotonic() < end:  # nothing but a thread can change it now
    x = x + 1
    x10.barrier()
"""


def test_it_changes_while_another_cell_runs_and_is_gone_with_the_extension() -> None:
    with started() as (_, client):
        kernel = Kernel(client)
        assert kernel.run(SETUP).status == "ok"
        reply = kernel.run("%x10metrics --watch MarkStep")
        assert (reply.status, [kind for kind, _ in reply.outputs]) == ("ok", ["display_data"])
        assert reply.outputs[0][1].startswith("Metric: ")
        sent = client.execute(BUSY)
        said = messages_until_idle(kernel, sent)
        tables = [state["value"] for state in said if "MarkStep" in state.get("value", "")]
        assert tables, "nothing was sent while the cell ran"
        reply = kernel.run("%unload_ext x10_jupyter\nimport threading\nprint([one.name for one in threading.enumerate() if one.name == 'x10_jupyter watch'])")
        assert reply.outputs[-1] == ("stdout", "[]\n")


def messages_until_idle(kernel: Kernel, sent: str) -> list[dict[str, str]]:
    """The states of widgets that were sent until a cell had ended."""
    found: list[dict[str, str]] = []
    while True:
        message = kernel.client.get_iopub_msg(timeout=PATIENCE_S)
        content = message["content"]
        if message["msg_type"] == "comm_msg":
            found.append(content["data"].get("state", {}))
        elif message["msg_type"] == "status" and content["execution_state"] == "idle" and message["parent_header"]["msg_id"] == sent:
            kernel.client.get_shell_msg(timeout=PATIENCE_S)
            return found
