"""torch.Stream and torch.Event on a build without accelerators match real torch."""

import pytest
from beside import outcome

NAMES = {"s": "torch.Stream(stream_id=7, device_index=0, device_type=0)", "e": "torch.Event('cpu', enable_timing=True)"}


@pytest.mark.parametrize(
    "expression",
    [
        "torch.Stream()",
        "torch.Stream(None)",
        "torch.Stream('cpu:0', priority=1)",
        "torch.Stream('meta')",
        "torch.Stream('cuda')",
        "torch.Stream(1)",
        "torch.Stream(0, 0, 0)",
        "torch.Stream(1, 2, 3, 4)",
        "torch.Stream(stream_id=1)",
        "torch.Stream(stream_id=1, device_index='x', device_type=0)",
        "torch.Stream(stream_id=1, device_index=0, device_type=99)",
        "torch.Stream(foo=1)",
        "torch.Stream(1.5)",
        "(s, s.device, s.device_index, s.device_type, s.stream_id)",
        "(s.query(), s.synchronize(), s.is_capturing(), s.__enter__() is s, s.__exit__(None, None, None))",
        "s == torch.Stream(stream_id=7, device_index=0, device_type=0)",
        "(s == 3, s != s, s < s)",
        "s.record_event()",
        "s.record_event(3)",
        "s.wait_event(e)",
        "s.wait_stream(s)",
        "s.native_handle",
        "torch.Event()",
        "torch.Event('meta')",
        "torch.Event('cuda')",
        "torch.Event('cpu', True)",
        "torch.Event(enable_timing=1)",
        "torch.Event(foo=1)",
        "(e, e.device, e.event_id, e.query(), e.synchronize(), e.wait(), e.wait(s))",
        "e.record()",
        "e.record(s)",
        "e.elapsed_time(e)",
        "e.elapsed_time(torch.Event())",
        "e.elapsed_time(3)",
        "e.ipc_handle()",
        "type('S', (torch.Stream,), {})()",
        "(torch.qscheme, torch.per_channel_symmetric)",
        "torch.qscheme()",
    ],
)
def test_streams_and_events_answer_as_in_torch(mt, oracle, expression):
    assert outcome(mt, expression, **NAMES) == outcome(oracle, expression, **NAMES)


def test_equal_streams_have_equal_hashes(mt):
    first, second = (mt.Stream(stream_id=7, device_index=0, device_type=0) for _ in range(2))
    assert hash(first) == hash(second)
    assert {first: 1}[second] == 1
