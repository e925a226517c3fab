import bulk from '../../../../lib/features/bulk/schema.graphql';
import changeLog from '../../../../lib/features/change-log/schema.graphql';
import erasure from '../../../../lib/features/erasure/schema.graphql';
import history from '../../../../lib/features/history/schema.graphql';
import usersAndPosts from '../../../../lib/graphql/schema/schema.graphql';

export default [usersAndPosts, bulk, changeLog, erasure, history].join('\n');
