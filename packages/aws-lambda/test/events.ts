import type {
  ALBEvent,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  Context,
  LambdaFunctionURLEvent,
} from 'aws-lambda';

/** The examples of AWS, of one request. */

export const httpApiEvent = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/users/7',
  rawQueryString: 'tag=a&tag=b&name=A%20b',
  cookies: ['session=abc', 'theme=dark'],
  headers: {
    accept: '*/*',
    'content-length': '0',
    host: 'r3pmxmplak.execute-api.us-east-2.amazonaws.com',
    'x-amzn-trace-id': 'Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e',
    'x-forwarded-for': '205.255.255.176',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
  },
  queryStringParameters: { tag: 'a,b', name: 'A b' },
  requestContext: {
    accountId: '123456789012',
    apiId: 'r3pmxmplak',
    domainName: 'r3pmxmplak.execute-api.us-east-2.amazonaws.com',
    domainPrefix: 'r3pmxmplak',
    http: {
      method: 'GET',
      path: '/users/7',
      protocol: 'HTTP/1.1',
      sourceIp: '205.255.255.176',
      userAgent: 'curl/8.5.0',
    },
    requestId: 'JKJaXmPLvHcESHA=',
    routeKey: '$default',
    stage: '$default',
    time: '10/Mar/2020:05:16:23 +0000',
    timeEpoch: 1_583_817_383_220,
  },
  isBase64Encoded: false,
} satisfies APIGatewayProxyEventV2;

export const functionUrlEvent = {
  ...httpApiEvent,
  headers: { ...httpApiEvent.headers, host: 'abc123.lambda-url.us-east-1.on.aws' },
  requestContext: {
    ...httpApiEvent.requestContext,
    apiId: 'abc123',
    domainName: 'abc123.lambda-url.us-east-1.on.aws',
    domainPrefix: 'abc123',
  },
} satisfies LambdaFunctionURLEvent;

export const restApiEvent = {
  resource: '/{proxy+}',
  path: '/users/7',
  httpMethod: 'GET',
  headers: {
    Accept: '*/*',
    Cookie: 'session=abc; theme=dark',
    Host: 'r275xc9bmd.execute-api.us-east-1.amazonaws.com',
    'X-Forwarded-For': '10.20.30.40, 205.255.255.176',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
  },
  multiValueHeaders: {
    Accept: ['*/*'],
    Cookie: ['session=abc; theme=dark'],
    Host: ['r275xc9bmd.execute-api.us-east-1.amazonaws.com'],
    'X-Forwarded-For': ['10.20.30.40, 205.255.255.176'],
    'X-Forwarded-Port': ['443'],
    'X-Forwarded-Proto': ['https'],
  },
  queryStringParameters: { tag: 'b', name: 'A b' },
  multiValueQueryStringParameters: { tag: ['a', 'b'], name: ['A b'] },
  pathParameters: { proxy: 'users/7' },
  stageVariables: null,
  requestContext: {
    accountId: '123456789012',
    apiId: 'r275xc9bmd',
    authorizer: null,
    domainName: 'r275xc9bmd.execute-api.us-east-1.amazonaws.com',
    domainPrefix: 'r275xc9bmd',
    httpMethod: 'GET',
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: '205.255.255.176',
      user: null,
      userAgent: 'curl/8.5.0',
      userArn: null,
    },
    path: '/prod/users/7',
    protocol: 'HTTP/1.1',
    requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
    requestTimeEpoch: 1_583_817_383_220,
    resourceId: '5s5t1j',
    resourcePath: '/{proxy+}',
    stage: 'prod',
  },
  body: null,
  isBase64Encoded: false,
} satisfies APIGatewayProxyEvent;

const elb = {
  targetGroupArn:
    'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/lambda-279XGJDqGZ5rsrHC2Fjr/49e9d65c45c6791a',
};

export const albEvent = {
  requestContext: { elb },
  httpMethod: 'GET',
  path: '/users/7',
  queryStringParameters: { tag: 'b', name: 'A%20b' },
  headers: {
    accept: '*/*',
    cookie: 'session=abc; theme=dark',
    host: 'lambda-alb-123578498.us-east-1.elb.amazonaws.com',
    'x-amzn-trace-id': 'Root=1-5c536348-3d683b8b04734faae651f476',
    'x-forwarded-for': '10.20.30.40, 205.255.255.176',
    'x-forwarded-port': '80',
    'x-forwarded-proto': 'http',
  },
  body: '',
  isBase64Encoded: false,
} satisfies ALBEvent;

/** With multi-value headers turned on for the target group. */
export const albMultiEvent = {
  requestContext: { elb },
  httpMethod: 'GET',
  path: '/users/7',
  multiValueQueryStringParameters: { tag: ['a', 'b'], name: ['A%20b'] },
  multiValueHeaders: {
    accept: ['*/*'],
    cookie: ['session=abc', 'theme=dark'],
    host: ['lambda-alb-123578498.us-east-1.elb.amazonaws.com'],
    'x-forwarded-for': ['10.20.30.40, 205.255.255.176'],
    'x-forwarded-port': ['80'],
    'x-forwarded-proto': ['http'],
  },
  body: '',
  isBase64Encoded: false,
} satisfies ALBEvent;

export const context: Context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'users',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:users',
  memoryLimitInMB: '256',
  awsRequestId: '79104EXAMPLEB723',
  logGroupName: '/aws/lambda/users',
  logStreamName: '2026/11/22/[$LATEST]0',
  getRemainingTimeInMillis: () => 3_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
};
