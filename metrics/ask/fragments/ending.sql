-- The ending as it is known at as_of: what is open in a run that has ended is abandoned.
if(ending = 'open' AND {{template "ended"}}, 'abandoned', toString(ending))
