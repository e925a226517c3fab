import * as z from 'zod/mini';
import { exactText, idempotencyKey, idInput, plainText } from '../../input/schemas.ts';
import { groupRoles } from './membership-entries.ts';

// Separate from group.ts: functions that only read groups load no zod.

const name = plainText(256);
/** The key of its claim may have 2048 bytes. */
const externalId = exactText(255);
const ifVersion = z.nullish(z.int());
export const role = z.enum(groupRoles, `must be one of ${groupRoles.join(', ')}`);

export const createGroupInput = z.strictObject({
  name,
  externalId: z.nullish(externalId),
  idempotencyKey: z.nullish(idempotencyKey),
});
export const updateGroupInput = z.strictObject({
  id: idInput,
  name: z.optional(name),
  externalId: z.nullish(externalId),
  ifVersion,
});
export const deleteGroupInput = z.strictObject({ id: idInput, removeMembers: z.nullish(z.boolean()), ifVersion });

const member = { groupId: idInput, userId: idInput, ifVersion };

export const addMemberInput = z.strictObject({ ...member, role: z.nullish(role) });
export const updateMemberInput = z.strictObject({ ...member, role });
export const removeMemberInput = z.strictObject(member);
