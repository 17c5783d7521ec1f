"""The terminal view: folds events into lines and asks the approvals. The only printer."""
