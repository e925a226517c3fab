/** Each mutation has one input and one payload of its own, so that either can grow without breaking a client. */
export const mutationTypeDefs = /* GraphQL */ `
  input CreateUserInput {
    name: String!
    email: String!
    "Repeating the input under the same key within 24 hours gives the first answer again and creates nothing."
    idempotencyKey: String
  }

  input ReplaceUserInput {
    id: ID!
    name: String!
    email: String!
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input UpdateUserInput {
    id: ID!
    name: String
    email: String
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input DeleteUserInput {
    id: ID!
    "Refused with PRECONDITION_FAILED unless the user is at this version."
    ifVersion: Int
  }

  input CreatePostInput {
    authorId: ID!
    title: String!
    publishedAt: DateTime
    "Repeating the input under the same key within 24 hours gives the first answer again and creates nothing."
    idempotencyKey: String
  }

  input UpdatePostInput {
    id: ID!
    title: String
  }

  input PublishPostInput {
    id: ID!
    "Now, where none is given."
    publishedAt: DateTime
  }

  input DeletePostInput {
    id: ID!
  }

  type CreateUserPayload {
    user: User!
  }

  type ReplaceUserPayload {
    user: User!
  }

  type UpdateUserPayload {
    user: User!
  }

  type DeleteUserPayload {
    id: ID!
  }

  type CreatePostPayload {
    post: Post!
  }

  type UpdatePostPayload {
    post: Post!
  }

  type PublishPostPayload {
    post: Post!
  }

  type DeletePostPayload {
    id: ID!
  }

  type Mutation {
    createUser(input: CreateUserInput!): CreateUserPayload!
    replaceUser(input: ReplaceUserInput!): ReplaceUserPayload!
    updateUser(input: UpdateUserInput!): UpdateUserPayload!
    "The posts of the user go with it, within seconds."
    deleteUser(input: DeleteUserInput!): DeleteUserPayload!
    createPost(input: CreatePostInput!): CreatePostPayload!
    updatePost(input: UpdatePostInput!): UpdatePostPayload!
    "Leaves a post that is published as it is."
    publishPost(input: PublishPostInput!): PublishPostPayload!
    deletePost(input: DeletePostInput!): DeletePostPayload!
  }
`;
