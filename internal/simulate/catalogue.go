package simulate

// planted is a wrong value that models send, with the kind of its mistake.
type planted struct {
	value any
	kind  string
}

// The kinds of a wrong value.
const (
	kindCase   = "case"
	kindFormat = "format"
	kindTypo   = "typo"
	kindAlias  = "alias"
)

// target is an accepted value and what models send in its place.
type target struct {
	value any
	wrong []planted
}

// choice is an argument with few accepted values: at most five, so that ten
// accepted calls never look like an open-ended argument.
type choice struct {
	tool, name string
	code       string // of its fault in the structured variant
	targets    []target
	helper     string // a tool whose result can show the right value, empty for none
}

// accepted lists the values that the argument takes.
func (c *choice) accepted() []any {
	vs := make([]any, len(c.targets))
	for i := range c.targets {
		vs[i] = c.targets[i].value
	}
	return vs
}

// choices are the arguments that models get wrong, with what they send.
//
// The kinds follow the metrics' rules: equal when case-folded is case; the
// same number, date or boolean is format; both at least four characters and
// one edit apart (a swap of neighbours is one), or two from eight characters
// on, is typo; all else is alias.
var choices = []choice{
	{tool: "update_ticket", name: "status", code: "INVALID_ENUM", helper: "get_ticket", targets: []target{
		{"open", []planted{{"OPEN", kindCase}, {"ACTIVE", kindAlias}, {"Open", kindCase}, {"reopen_now", kindAlias}}},
		{"closed", []planted{{"resolved", kindAlias}, {"CLOSED", kindCase}, {"done", kindAlias}, {"close", kindTypo}}},
		{"pending", []planted{{"waiting", kindAlias}, {"Pending", kindCase}, {"on_hold", kindAlias}, {"ACTIVE", kindAlias}}},
	}},
	{tool: "update_ticket", name: "priority", code: "INVALID_ENUM", helper: "get_ticket", targets: []target{
		{"high", []planted{{"urgent", kindAlias}, {"P1", kindAlias}, {"HIGH", kindCase}, {"hgih", kindTypo}}},
		{"normal", []planted{{"medium", kindAlias}, {"Normal", kindCase}, {"default", kindAlias}}},
		{"low", []planted{{"minor", kindAlias}, {"Low", kindCase}, {"P4", kindAlias}}},
	}},
	{tool: "create_shipment", name: "carrier", code: "INVALID_ENUM", targets: []target{
		{"fedex", []planted{{"FedEx", kindCase}, {"federal express", kindAlias}, {"fedx", kindTypo}}},
		{"ups", []planted{{"UPS", kindCase}, {"united parcel", kindAlias}}},
		{"royal_mail", []planted{{"RM", kindAlias}, {"post office", kindAlias}, {"royal_mial", kindTypo}}},
		{"dhl", []planted{{"DHL", kindCase}, {"deutsche post", kindAlias}}},
	}},
	{tool: "create_shipment", name: "country", code: "INVALID_ENUM", helper: "search_orders", targets: []target{
		{"GB", []planted{{"UK", kindAlias}, {"England", kindAlias}, {"gb", kindCase}}},
		{"US", []planted{{"USA", kindAlias}, {"us", kindCase}, {"America", kindAlias}}},
		{"DE", []planted{{"Germany", kindAlias}, {"de", kindCase}}},
	}},
	{tool: "create_shipment", name: "weight", code: "INVALID_NUMBER", targets: []target{
		{1000, []planted{{"1,000", kindFormat}, {"1000.0", kindFormat}}},
		{2500, []planted{{"2,500", kindFormat}, {"2.5 kg", kindAlias}}},
	}},
	{tool: "create_shipment", name: "insured", code: "INVALID_BOOLEAN", targets: []target{
		{true, []planted{{"yes", kindFormat}, {"full", kindAlias}}},
		{false, []planted{{"no", kindFormat}, {"none", kindAlias}}},
	}},
	{tool: "convert_currency", name: "currency", code: "INVALID_ENUM", targets: []target{
		{"GBP", []planted{{"pounds", kindAlias}, {"gbp", kindCase}, {"sterling", kindAlias}}},
		{"EUR", []planted{{"euro", kindAlias}, {"eur", kindCase}}},
		{"USD", []planted{{"dollars", kindAlias}, {"usd", kindCase}}},
	}},
	{tool: "refund_order", name: "reason", code: "INVALID_ENUM", targets: []target{
		{"damaged", []planted{{"broken", kindAlias}, {"Damaged", kindCase}, {"damged", kindTypo}}},
		{"not_received", []planted{{"lost", kindAlias}, {"not_recieved", kindTypo}, {"NOT_RECEIVED", kindCase}}},
		{"wrong_item", []planted{{"mistake", kindAlias}, {"Wrong_Item", kindCase}}},
	}},
	{tool: "schedule_callback", name: "date", code: "INVALID_DATE", targets: []target{
		{"2026-12-24", []planted{{"24/12/2026", kindFormat}, {"Christmas Eve", kindAlias}}},
		{"2026-12-31", []planted{{"31/12/2026", kindFormat}, {"New Year's Eve", kindAlias}}},
	}},
	{tool: "send_email", name: "template", code: "INVALID_ENUM", targets: []target{
		{"apology", []planted{{"sorry", kindAlias}, {"Apology", kindCase}}},
		{"tracking", []planted{{"traking", kindTypo}, {"where is it", kindAlias}}},
		{"refund_notice", []planted{{"money back", kindAlias}, {"refund_notcie", kindTypo}}},
	}},
}

// naming is a wrong name, of an argument or a tool, with the kind of its mistake.
type naming struct{ name, kind string }

// rename is an argument that models call by another name.
type rename struct {
	tool, right string
	wrong       []naming
}

var renames = []rename{
	{"search_orders", "query", []naming{{"q", kindAlias}, {"search", kindAlias}}},
	{"lookup_customer", "email", []naming{{"mail", kindTypo}, {"address", kindAlias}}},
	{"send_email", "to", []naming{{"recipient", kindAlias}, {"receiver", kindAlias}}},
	{"get_ticket", "ticket", []naming{{"id", kindAlias}, {"number", kindAlias}}},
}

// misnomer is a tool that models call though it does not exist.
type misnomer struct{ wrong, right string }

var misnomers = []misnomer{
	{"search", "search_orders"},
	{"find_ticket", "get_ticket"},
	{"email", "send_email"},
	{"find_customer", "lookup_customer"},
}

// plainTools are the tools of calls that nothing is wrong with.
var plainTools = []string{"get_ticket", "update_ticket", "search_orders", "refund_order", "create_shipment",
	"lookup_customer", "send_email", "convert_currency", "schedule_callback"}

var (
	firstNames = []string{"ana", "bruno", "chen", "dalia", "emeka", "farah", "goran", "hana", "ivo", "jun", "kira", "luis"}
	lastNames  = []string{"ruiz", "okafor", "novak", "tanaka", "weber", "silva", "haddad", "moreau", "kowalski", "lind"}
	goods      = []string{"blue kettle", "desk lamp", "running shoes", "oak shelf", "rain jacket", "coffee grinder", "tent poles", "wool blanket"}
	notes      = []string{"customer called about the parcel", "photo of the damage received", "waiting for the warehouse",
		"refund agreed on the phone", "second complaint this month", "carrier confirmed the loss"}
	asks = []string{"My %s has not arrived. Can you look into it?", "The %s came broken, I want my money back.",
		"Please send the %s to my new address.", "I was charged twice for the %s.", "Where is my %s? It should have been here on Monday.",
		"I would like to return the %s."}
	starts = []string{"Let me check that.", "I will look into it.", "One moment, please.", "Checking now.", "I will take care of it."}
	fixes  = []string{"That was not accepted, I will change it.", "I will correct the request.", "Let me use another value.", "I see, adjusting the call."}
	again  = []string{"Let me try again.", "I will try that once more.", "Trying again.", "Retrying the request."}
	peeks  = []string{"Let me look at the current state first.", "I will check what is stored.", "Looking that up."}
	dones  = []string{"That is done. Is there anything else?", "All set, you will get a confirmation by e-mail.", "I have taken care of it.", "Done. Thank you for your patience."}
	sorrys = []string{"I am sorry, I could not complete this. A colleague will get back to you.",
		"This did not work, I am handing it over to the team.", "I was not able to do this; please contact us by phone."}
	questions = []string{"I could not save that. Which value should I use?", "The system does not take this. Could you tell me more?",
		"I need some help here: what should it be?"}
	answers = []string{"Try it now, please.", "It should work like we did last time.", "Please use the official one.", "Just do it the usual way."}
)
