-- Which cells of a table are added: those of the stretches that need not be read anew, under the dimensions that the
-- filters and the grouping name.
dims = {dims:String}
AND (level, stretch, roll) IN {cells:Array(Tuple(UInt8, Int32, UInt64))}
