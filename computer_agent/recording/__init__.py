"""Recording a person: what they do with mouse and keyboard, as the trace that a run of the agent gives."""
