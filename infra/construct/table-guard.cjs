const { DynamoDBClient, ListTablesCommand, QueryCommand } = require('@aws-sdk/client-dynamodb');

/**
 * A custom resource of CloudFormation that fails a deploy which would put an empty table in the place of one with users. The template
 * contains this file, so it uses the AWS SDK of Lambda's runtime.
 */
exports.handler = async (event) => {
  const Reason = await findFault(event).catch((error) => `The tables cannot be compared: ${error.message}`);
  const { StackId, RequestId, LogicalResourceId } = event;
  const response = { Status: Reason ? 'FAILED' : 'SUCCESS', StackId, RequestId, LogicalResourceId };
  const body = JSON.stringify({ ...response, PhysicalResourceId: 'table-guard', ...(Reason ? { Reason } : {}) });
  await fetch(event.ResponseURL, { method: 'PUT', body });
};

async function findFault({ RequestType, ResourceProperties, OldResourceProperties }) {
  const { TableName, Prefix } = ResourceProperties;
  if (RequestType === 'Delete' || (await hasUsers(TableName))) return undefined;
  const others = RequestType === 'Create' ? await listTables(Prefix) : [OldResourceProperties.TableName];
  for (const other of others)
    if (other !== TableName && (await hasUsers(other)))
      return `The table ${other} has users, but this deploy would use the empty table ${TableName}. Give the service the table ${other} (restoredStream), or delete it.`;
  return undefined;
}

/** The name of a table that CloudFormation has made begins with those of the stack and of the resource. */
async function listTables(prefix) {
  const tables = [];
  const client = new DynamoDBClient({});
  for (let start = prefix; start; ) {
    const { TableNames, LastEvaluatedTableName } = await client.send(
      new ListTablesCommand({ ExclusiveStartTableName: start }),
    );
    tables.push(...TableNames.filter((name) => name.startsWith(prefix)));
    start = LastEvaluatedTableName?.startsWith(prefix) ? LastEvaluatedTableName : undefined;
  }
  return tables;
}

/** The index has users only. */
async function hasUsers(TableName) {
  const { INDEX, PARTITION_KEY, PARTITION } = process.env;
  try {
    const { Count } = await new DynamoDBClient({}).send(
      new QueryCommand({
        TableName,
        IndexName: INDEX,
        KeyConditionExpression: '#key = :value',
        ExpressionAttributeNames: { '#key': PARTITION_KEY },
        ExpressionAttributeValues: { ':value': { S: PARTITION } },
        Select: 'COUNT',
        Limit: 1,
      }),
    );
    return Count > 0;
  } catch (error) {
    // A table that was deleted, or that is not one of this service, has no users.
    if (['ResourceNotFoundException', 'ValidationException'].includes(error.name)) return false;
    throw error;
  }
}
