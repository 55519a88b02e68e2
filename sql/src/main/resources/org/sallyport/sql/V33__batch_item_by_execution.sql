-- PostgreSQL knows nothing of a batch that was just stored, and may look each of its ten thousand executions up among ten thousand items.

create index batch_item_by_execution on batch_item (batch_id, execution_id);
