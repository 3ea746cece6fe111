"""All kinds of events."""

from x10_jupyter.records.process_events import Collected, Dispatched, Held, Profiled, Read, Sampled, Sized, Staged, Started, Throttled, Waited
from x10_jupyter.records.runtime_events import (
    Chained,
    Compiled,
    Compiling,
    Counted,
    Cut,
    Dumped,
    Executed,
    Failed,
    FellBack,
    Graphed,
    Pending,
    Rejoined,
    Retraced,
    Stepped,
    Traced,
    Transferred,
)

Event = (
    Traced
    | Compiling
    | Compiled
    | Rejoined
    | Executed
    | Cut
    | Read
    | Transferred
    | FellBack
    | Chained
    | Retraced
    | Stepped
    | Failed
    | Graphed
    | Dumped
    | Counted
    | Staged
    | Waited
    | Collected
    | Sized
    | Profiled
    | Sampled
    | Held
    | Dispatched
    | Pending
    | Started
    | Throttled
)
