by_tool, by_code, by_variant, by_model, by_agent, by_time
