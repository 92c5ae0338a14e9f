"""What is shown of evidence: one view model, and a module for each form it is shown in."""
