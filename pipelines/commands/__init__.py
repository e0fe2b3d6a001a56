"""The commands of `callake`, one module a command or a family of them."""
