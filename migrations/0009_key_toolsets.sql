-- The toolsets of the MCP server that a key is limited to: names with commas between them, NULL for no limit.
ALTER TABLE api_keys ADD COLUMN toolsets TEXT;
