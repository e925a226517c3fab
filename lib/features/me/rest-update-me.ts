import type * as z from 'zod/mini';
import type { RestOperation } from '../../rest/operation.ts';
import { hasMediaType, JSON_TYPE, MERGE_PATCH_TYPE, readConditions } from '../../rest/requests.ts';
import type { MergeOption } from '../../users/fields/values.ts';
import type { Conditions } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import { mergeMeInput, updateMeInput } from './input.ts';
import type { Person } from './person.ts';
import { ownRecord, parseBody, parseCallingPerson, renderMe } from './rest-own-record.ts';

type Request = { person: Person; input: z.infer<typeof updateMeInput>; conditions: Conditions & MergeOption };

export const updateMeOperation = {
  ...ownRecord,
  method: 'PATCH',
  status: 200,
  verifiesTokens: true,
  grant: { table: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'] },
  body: { schema: updateMeInput, mediaTypes: [JSON_TYPE, MERGE_PATCH_TYPE] },
  requestHeaders: ['If-Match', 'If-None-Match', 'If-Unmodified-Since'],
  read: (event) => {
    const mergesJson = hasMediaType(event, MERGE_PATCH_TYPE) || undefined;
    return {
      person: parseCallingPerson(event),
      input: parseBody(mergesJson ? mergeMeInput : updateMeInput, event),
      conditions: { ...readConditions(event), mergesJson },
    };
  },
  render: (user, _, format) => renderMe(user, format),
} as const satisfies RestOperation<Request, User>;
