// Short lines: a phone's toolbar covers longer ones.
const query = `# Press Ctrl+Enter to run.
# The next tabs create a
# user and a post, and
# subscribe to changes.
# They work in any order.
query UsersWithPosts {
  users(first: 5) {
    totalCount
    edges {
      node {
        id
        name
        email
        posts(first: 3) {
          title
          publishedAt
        }
      }
    }
  }
}
`;

const createUser = `# This page replaces
# {{unique}} in the
# variables below, so that
# it can be run again.
mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) {
    user {
      id
      name
      email
      version
    }
  }
}
`;

const createPost = `# This page replaces
# {{newestUserId}} in the
# variables below. If there
# are no users, it creates
# one.
mutation CreatePost($input: CreatePostInput!) {
  createPost(input: $input) {
    post {
      id
      title
      author {
        name
      }
    }
  }
}
`;

const subscription = `# Stays open and shows the
# users that are created,
# changed or deleted, in
# other tabs, too.
subscription UserChanges($after: ID) {
  userChanged(after: $after) {
    cursor
    kind
    at
    id
    user {
      name
      email
      version
    }
  }
}
`;

const format = (variables: object) => JSON.stringify(variables, null, 2);

/** Each operation can be repeated, even on an empty table. */
export const tabs = [
  { query },
  {
    query: createUser,
    variables: format({ input: { name: 'Ada Lovelace', email: 'ada-{{unique}}@example.org' } }),
  },
  {
    query: createPost,
    variables: format({ input: { authorId: '{{newestUserId}}', title: 'Notes on the Analytical Engine' } }),
  },
  { query: subscription },
];
