import type { DocumentNode } from 'graphql';
import { bulk } from '../../features/bulk/resolvers.ts';
import { changeLog } from '../../features/change-log/resolvers.ts';
import { erasure } from '../../features/erasure/resolvers.ts';
import { history } from '../../features/history/resolvers.ts';
import { ownRecords } from '../../features/me/resolvers.ts';
import { ownFieldTypes } from './own-fields.ts';
import type { RootRights } from './rights.ts';

/** A part of the schema: definitions, which may extend those of other parts, what resolves their fields, and the rights of root fields. */
export type Extension = { definitions: DocumentNode; resolvers: object; rights: RootRights };

/** What features add to users and posts. */
export const extensions = [bulk, changeLog, erasure, history, ownFieldTypes, ownRecords] as const satisfies Extension[];
