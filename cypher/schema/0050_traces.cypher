// Reasoning traces: by scope, their parts in order, and tool calls by time, also of one tool.
CREATE CONSTRAINT reasoning_trace_id IF NOT EXISTS FOR (n:ReasoningTrace) REQUIRE n.id IS UNIQUE;
CREATE INDEX reasoning_trace_scope IF NOT EXISTS FOR (n:ReasoningTrace) ON (n.scope, n.id);
CREATE INDEX reasoning_step_whole IF NOT EXISTS FOR (n:ReasoningStep) ON (n.whole, n.number);
CREATE INDEX tool_call_whole IF NOT EXISTS FOR (n:ToolCall) ON (n.whole, n.number);
CREATE INDEX tool_call_time IF NOT EXISTS FOR (n:ToolCall) ON (n.scope, n.at);
CREATE INDEX tool_call_tool_time IF NOT EXISTS FOR (n:ToolCall) ON (n.scope, n.tool, n.at);
CREATE INDEX trace_link_whole IF NOT EXISTS FOR (n:TraceLink) ON (n.whole, n.id);
CREATE INDEX trace_link_memory IF NOT EXISTS FOR (n:TraceLink) ON (n.refers, n.id);
