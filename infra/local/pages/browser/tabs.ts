const query = `# Press Ctrl+Enter to run. The next tabs create users and posts
# and subscribe to changes.
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

const mutation = `mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) {
    user {
      id
      name
      email
      version
    }
  }
}

# authorId is the id of a user.
mutation CreatePost($post: CreatePostInput!) {
  createPost(input: $post) {
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

const variables = {
  input: { name: 'Ada Lovelace', email: 'ada@example.org' },
  post: { authorId: 'the id of a user', title: 'Notes on the Analytical Engine' },
};

const subscription = `# Stays open and shows the users that are created or changed in another tab.
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

/** The tabs that GraphiQL opens on the first visit. */
export const tabs = [
  { query },
  { query: mutation, variables: JSON.stringify(variables, null, 2) },
  { query: subscription },
];
