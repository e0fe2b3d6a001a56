"""The parts of the page: pure functions from the rows of pictures to what is laid out."""
