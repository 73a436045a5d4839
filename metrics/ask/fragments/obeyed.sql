-- Whether an error was obeyed, as a text; '' where it asked for nothing that is judged, or a user spoke first.
multiIf
(
    {{template "asks"}} = '' OR {{template "label"}} IN ('', 'user'), '',
    {{template "asks"}} = 'stop', if({{template "label"}} IN ('replied', 'ended'), 'true', 'false'),
    if({{template "label"}} = 'repeat', 'true', 'false')
)
