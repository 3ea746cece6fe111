"""The composition root: plugs producers into a capture and views onto it. Knows no notebook."""

from x10_jupyter.session.capturing import Capturing as Capturing
from x10_jupyter.session.resident import HISTORY as HISTORY
from x10_jupyter.session.resident import REGISTRY as REGISTRY
from x10_jupyter.session.result import Capture as Capture
from x10_jupyter.session.root import capture as capture
from x10_jupyter.session.root import connect as connect
from x10_jupyter.session.root import disconnect as disconnect
