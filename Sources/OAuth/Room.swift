// Room kept; its first file replaces this one.
