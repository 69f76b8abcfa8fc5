"""Programs that leave with their user: files of C, and libraries with the header of C."""
