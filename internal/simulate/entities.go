package simulate

import "fmt"

// Each entity is new in its run: its number comes from a counter of the run.

func (p *script) number() int { p.serial++; return p.base + 7*p.serial }

func (p *script) ticket() string   { return fmt.Sprintf("T-%d", p.number()) }
func (p *script) order() string    { return fmt.Sprintf("ORD-%d", p.number()) }
func (p *script) shipment() string { return fmt.Sprintf("SHP-%d", p.number()) }

func (p *script) address() string {
	return fmt.Sprintf("%s.%s%d@example.com", pick(p.rng, firstNames), pick(p.rng, lastNames), p.number())
}

// argsOf gives accepted arguments for a call of the tool that the run has not
// made yet.
func (p *script) argsOf(tool string) object {
	for {
		if a := p.draw(tool); !p.seen[tool+"?"+a.key()] {
			return a
		}
	}
}

// draw gives accepted arguments of the tool.
func (p *script) draw(tool string) object {
	switch tool {
	case "get_ticket":
		return object{{"ticket", p.ticket()}}
	case "update_ticket":
		return object{{"ticket", p.ticket()}, {"status", p.oneOf(tool, "status")}, {"priority", p.oneOf(tool, "priority")},
			{"note", pick(p.rng, notes)}}
	case "search_orders":
		return object{{"query", fmt.Sprintf("%s %d", pick(p.rng, goods), p.number())}, {"count", 5}}
	case "refund_order":
		return object{{"order", p.order()}, {"amount", pick(p.rng, []int{20, 35, 50, 80})}, {"reason", p.oneOf(tool, "reason")}}
	case "create_shipment":
		return object{{"order", p.order()}, {"carrier", p.oneOf(tool, "carrier")}, {"country", p.oneOf(tool, "country")},
			{"weight", p.oneOf(tool, "weight")}, {"insured", p.oneOf(tool, "insured")}}
	case "lookup_customer":
		return object{{"email", p.address()}}
	case "send_email":
		return object{{"to", p.address()}, {"template", p.oneOf(tool, "template")}, {"body", "About your " + pick(p.rng, goods)}}
	case "convert_currency":
		return object{{"amount", pick(p.rng, []int{20, 50, 80, 100, 250})}, {"source", pick(p.rng, []string{"CHF", "SEK", "NOK", "PLN", "CZK"})},
			{"currency", p.oneOf(tool, "currency")}}
	case "schedule_callback":
		return object{{"ticket", p.ticket()}, {"date", p.oneOf(tool, "date")}, {"topic", pick(p.rng, goods)}}
	case "track_shipment":
		return object{{"shipment", p.shipment()}}
	}
	panic("BUG: simulate: no arguments for the tool " + tool)
}

// oneOf draws an accepted value of an argument.
func (p *script) oneOf(tool, name string) any {
	for i := range choices {
		if choices[i].tool == tool && choices[i].name == name {
			return pick(p.rng, choices[i].targets).value
		}
	}
	panic("BUG: simulate: no choice for " + tool + "." + name)
}

// okBody is the result of a call that works. None of it reads as an error.
func (p *script) okBody(tool string, args object) string {
	switch tool {
	case "get_ticket":
		return object{{"ticket", args.get("ticket")}, {"subject", pick(p.rng, goods)}, {"status", p.oneOf("update_ticket", "status")},
			{"priority", p.oneOf("update_ticket", "priority")}, {"updated", p.rng.IntN(900)}}.text()
	case "search_orders":
		return object{{"orders", []object{{{"order", p.order()}, {"item", pick(p.rng, goods)}, {"country", p.oneOf("create_shipment", "country")}}}}}.text()
	case "lookup_customer":
		return object{{"customer", fmt.Sprintf("C-%d", p.number())}, {"name", pick(p.rng, firstNames)}, {"since", 2012 + p.rng.IntN(12)}}.text()
	case "convert_currency":
		return object{{"amount", float64(p.rng.IntN(40000)) / 100}, {"currency", args.get("currency")}}.text()
	case "create_shipment":
		return object{{"shipment", p.shipment()}, {"label", "printed"}}.text()
	}
	return object{{"done", true}, {"reference", p.number()}}.text()
}

// bareTicket is a ticket as a helper sees it that does not show the value.
func bareTicket(args object) string {
	return object{{"ticket", args.get("ticket")}, {"lang", "en"}}.text()
}
