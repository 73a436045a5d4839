package gemini

import (
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// result reads a function response. By the interface's convention an object that has only the key "output" (or
// "result") stands for that value, and a key "error" says that the function failed.
func (r *functionResponse) result(ofContent transcript.Variant) (transcript.Result, error) {
	result := transcript.Result{
		CallID:  r.ID,
		Tool:    transcript.Tool(r.Name),
		Variant: transcript.Variant(r.Variant),
	}
	if result.Variant == "" {
		result.Variant = ofContent
	}
	body, err := r.body(&result.Flag)
	if err != nil {
		return result, err
	}
	result.Body = body
	return result, nil
}

func (r *functionResponse) body(flag *transcript.Flag) (string, error) {
	var whole field.Raw
	if len(r.Response) == 0 {
		return "", nil
	}
	if r.Response.Kind() != '{' {
		err := record.Unmarshal(r.Response, &whole)
		return whole.Object(), err
	}
	shape, err := record.ShapeOf(r.Response)
	if err != nil {
		return "", err
	}
	members := shape.First()
	if value := members.Get("error"); value != nil {
		var mark field.Truth
		if err := record.Unmarshal(value, &mark); err != nil {
			return "", err
		}
		if mark.State == transcript.True {
			*flag = transcript.FlagError
		}
	}
	inner := r.Response
	if only := len(members) == 1; only && (members[0].Name == "output" || members[0].Name == "result") {
		inner = members[0].Value
	}
	err = record.Unmarshal(inner, &whole)
	return whole.Object(), err
}
