"""What generated text is made of: literals, names, types, templates, support code, and how all of it is laid out."""
