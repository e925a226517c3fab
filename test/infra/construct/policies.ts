import { runSimulation } from '@cloud-copilot/iam-simulate';
import type { Template } from 'aws-cdk-lib/assertions';

export const ACCOUNT = '123456789012';
const STACK = 'UserManagement';
export const TABLE_ARN = `arn:aws:dynamodb:us-east-1:${ACCOUNT}:table/${STACK}-users`;
export const INDEX_ARN = `${TABLE_ARN}/index/directory`;

type Statement = Record<string, unknown>;
/** By function name. */
export type Policies = Map<string, Statement[]>;

/** Resolves references as CloudFormation would. */
export function readPolicies(template: Template): Policies {
  const policies = Object.values(template.findResources('AWS::IAM::Policy'));
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  return new Map(
    functions.flatMap(({ Properties }) => {
      const [roleId] = Properties.Role['Fn::GetAtt'];
      const own = policies.filter(({ Properties: { Roles } }) =>
        Roles.some(({ Ref }: { Ref: string }) => Ref === roleId),
      );
      const statements = own.flatMap(({ Properties: { PolicyDocument } }) =>
        PolicyDocument.Statement.map((each: Statement) => resolve(each)),
      );
      return [[Properties.Handler.replace(/\.handler$/, ''), statements] as const];
    }),
  );
}

const PARAMETERS: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::AccountId': ACCOUNT,
  'AWS::StackName': STACK,
};

/** `arns`: by logical id. */
export function resolve(value: unknown, arns: Record<string, string> = {}): unknown {
  if (Array.isArray(value)) return value.map((each) => resolve(each, arns));
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join, ...others } = value as Record<string, never>;
  if (Ref !== undefined) return PARAMETERS[Ref] ?? arns[Ref] ?? Ref;
  if (attribute) return arns[attribute[0]] ?? resolveAttribute(attribute);
  if (join) return (resolve(join[1], arns) as string[]).join(join[0]);
  return Object.fromEntries(Object.entries(others).map(([name, each]) => [name, resolve(each, arns)]));
}

function resolveAttribute([id, name]: [string, string]): string {
  if (!id.startsWith('table')) return `arn:aws:other:us-east-1:${ACCOUNT}:${id}`;
  return name === 'StreamArn' ? `${TABLE_ARN}/stream/2026-01-01T00:00:00.000` : TABLE_ARN;
}

export async function evaluate(
  policies: Policies,
  name: string,
  action: string,
  resource: string,
  contextVariables: Record<string, string[]> = {},
) {
  const Statement = policies.get(name);
  if (!Statement) throw new Error(`The template has no function ${name}`);
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${ACCOUNT}:role/${name}`,
        action,
        resource: { resource, accountId: ACCOUNT },
        contextVariables,
      },
      identityPolicies: [{ name, policy: { Version: '2012-10-17', Statement } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );
  if (result.resultType !== 'single')
    throw new Error(`IAM cannot evaluate ${action} on ${resource}: ${JSON.stringify(result)}`);
  return result.overallResult;
}
