//! Rules that hold for every input: fuzz targets look for one that breaks them, tests replay what they found.
