const { DescribeTableCommand, DynamoDBClient, ListTablesCommand, QueryCommand } = require('@aws-sdk/client-dynamodb');

/**
 * A custom resource of CloudFormation that fails a deploy which would put an empty table in the place of one with users. The template
 * contains this file, so it uses the AWS SDK of Lambda's runtime.
 */
exports.handler = async (event) => {
  const Reason = await findFault(event).catch((error) => `The tables cannot be compared: ${error.message}`);
  const { StackId, RequestId, LogicalResourceId } = event;
  const response = { Status: Reason ? 'FAILED' : 'SUCCESS', StackId, RequestId, LogicalResourceId };
  const body = JSON.stringify({ ...response, PhysicalResourceId: 'table-guard', ...(Reason ? { Reason } : {}) });
  await retry(() => respond(event.ResponseURL, body), MAX_RESPONSES);
};

/** Until it has the response, CloudFormation waits for an hour. */
async function respond(url, body) {
  // The URL is signed for a request without a content type; fetch would add one.
  const { ok, status } = await fetch(url, { method: 'PUT', headers: { 'content-type': '' }, body });
  if (!ok) throw new Error(`CloudFormation answered ${status}`);
}

async function findFault({ RequestType, ResourceProperties, OldResourceProperties }) {
  const { TableName } = ResourceProperties;
  if (RequestType === 'Delete' || (await hasUsers(TableName))) return undefined;
  const others = RequestType === 'Create' ? await listLeft(ResourceProperties) : [OldResourceProperties.TableName];
  for (const other of others)
    if (other !== TableName) {
      const users = await findUsers(other);
      if (users)
        return `The table ${other} ${users}, but this deploy would use the empty table ${TableName}. Give the service the table ${other} (restoredStream), or delete it.`;
    }
  return undefined;
}

/**
 * Lists the tables of the stack that none of its services has any more: of a construct that was renamed, or of a stack that was
 * deleted. CloudFormation names a table <stack>-<logical id>-<random>.
 */
async function listLeft({ StackName, LogicalIds }) {
  const prefix = `${StackName}-`;
  const tables = [];
  for (let start = prefix; start; ) {
    const ExclusiveStartTableName = start;
    const { TableNames, LastEvaluatedTableName } = await send(new ListTablesCommand({ ExclusiveStartTableName }));
    tables.push(...TableNames.filter((name) => name.startsWith(prefix)));
    start = LastEvaluatedTableName?.startsWith(prefix) ? LastEvaluatedTableName : undefined;
  }
  return tables.filter((name) => {
    // Logical ids have no hyphen, so a name with more of them is that of a stack whose name only begins like this one's.
    const [logicalId, random, ...more] = name.slice(prefix.length).split('-');
    return random && more.length === 0 && !LogicalIds.includes(logicalId);
  });
}

/** The index has users only. */
async function hasUsers(TableName) {
  const { INDEX, PARTITION_KEY, PARTITION } = process.env;
  try {
    const { Count } = await send(
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

/**
 * Says that a table has users; undefined if it has none. A first deploy that failed leaves an empty, protected table whose key is being deleted with
 * it, so nobody can query it. What DynamoDB counts every six hours is all that is known of it.
 */
async function findUsers(TableName) {
  try {
    return (await hasUsers(TableName)) ? 'has users' : undefined;
  } catch (error) {
    const { Table } = await send(new DescribeTableCommand({ TableName }));
    if (!Table.SSEDescription?.KMSMasterKeyArn) throw error;
    return Table.ItemCount > 0
      ? `may have users, as it had ${Table.ItemCount} items when DynamoDB last counted them, up to six hours ago, and cannot be read (${error.name})`
      : undefined;
  }
}

const client = new DynamoDBClient({});
const [MAX_RESPONSES, MAX_DENIALS, PAUSE_MS] = [5, 20, 2_000];

/** IAM takes seconds until it knows a role that was just created: what is denied after that stays so. */
let isRoleKnown = false;
const isTooEarly = ({ name }) => !isRoleKnown && /AccessDenied|UnrecognizedClient|InvalidClientTokenId/.test(name);

async function send(command) {
  const result = await retry(() => client.send(command), MAX_DENIALS, isTooEarly);
  isRoleKnown = true;
  return result;
}

async function retry(run, attempts, isTemporary = () => true) {
  for (let left = attempts - 1; ; left--)
    try {
      return await run();
    } catch (error) {
      if (left === 0 || !isTemporary(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}
