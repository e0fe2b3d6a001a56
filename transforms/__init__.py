"""Pure transforms: bytes and frames in, frames and reports out."""
