"""Dialects: what each family of models is told and how it answers. Each only translates; one file a family."""
