/** The contents of each template, by the name of its folder in `templates/`. */
export const TEMPLATES = {
  minimal: 'functions in a single file, without a build step',
  values: 'controllers without decorators, validation, Dockerfile, without a build step',
  'rest-api': 'classes, validation, SQLite or PostgreSQL, sign-in, OpenAPI page, Dockerfile',
} as const;

/** The path to open first, by template. */
export const FIRST_PATHS: Readonly<Record<keyof typeof TEMPLATES, string>> = {
  minimal: '/',
  values: '/api/notes',
  'rest-api': '/docs',
};

/** The databases of `rest-api`. */
export const DATABASES = {
  sqlite: 'SQLite, in a file',
  postgres: 'PostgreSQL, with migrations and transactions',
} as const;

export type Template = keyof typeof TEMPLATES;
export type DatabaseName = keyof typeof DATABASES;

/** A template, with what was chosen in it. */
export interface Choice {
  readonly template: Template;
  /** Only `rest-api` has one. */
  readonly database?: DatabaseName | undefined;
  /** Whether `rest-api` has accounts and sign-in. */
  readonly auth?: boolean | undefined;
}

/** Returns the folders of `templates/` whose files a project has, the last one last. */
export function layersOf({ template, database = 'sqlite', auth = false }: Choice): string[] {
  if (template !== 'rest-api') return ['shared', 'stripped', template];
  return ['shared', template, database, ...(auth ? ['auth'] : [])];
}

/**
 * Keeps the lines between `#if` and `#endif` that name a layer of the project, or `open` if nobody signs in.
 *
 * @returns The text without the lines that contain `#if` and `#endif`.
 */
export function applyConditions(text: string, layers: readonly string[]): string {
  const names = layers.includes('auth') ? layers : [...layers, 'open'];
  return text.replaceAll(
    /^.*#if (\w+).*\n([\s\S]*?)^.*#endif.*\n/gm,
    (_, name: string, lines: string) => (names.includes(name) ? lines : ''),
  );
}

/** The npm instructions in the `Dockerfile` of the templates. */
const DOCKER = {
  copy: 'COPY package.json package-lock.json ./',
  install: 'RUN npm ci',
  installProduction: 'RUN npm ci --omit=dev',
  build: 'RUN npm run build && npm prune --omit=dev',
};

/** The package managers, with their Dockerfile instructions. */
export const PACKAGE_MANAGERS = {
  npm: DOCKER,
  pnpm: {
    copy: 'COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./',
    install: 'RUN npm install --global pnpm && pnpm install --frozen-lockfile',
    installProduction: 'RUN npm install --global pnpm && pnpm install --frozen-lockfile --prod',
    build: 'RUN pnpm run build && CI=true pnpm prune --prod',
  },
  yarn: {
    copy: 'COPY package.json yarn.lock .yarnrc.yml ./',
    // The image contains Yarn 1, which --force replaces.
    install: 'RUN npm install --global --force @yarnpkg/cli-dist && yarn install --immutable',
    installProduction:
      'RUN npm install --global --force @yarnpkg/cli-dist && yarn workspaces focus --production',
    build: 'RUN yarn run build && yarn workspaces focus --production',
  },
  bun: {
    copy: 'COPY package.json bun.lock ./',
    install: 'RUN npm install --global bun && bun install --frozen-lockfile',
    installProduction: 'RUN npm install --global bun && bun install --frozen-lockfile --production',
    build: 'RUN bun run build && rm -r node_modules && bun install --production',
  },
} as const satisfies Record<string, typeof DOCKER>;

export type PackageManager = keyof typeof PACKAGE_MANAGERS;

/** The instructions for Yarn 1, whose lockfile Yarn 4 would change. The image contains it. */
const YARN_1: typeof DOCKER = {
  copy: 'COPY package.json yarn.lock ./',
  install: 'RUN yarn install --frozen-lockfile',
  installProduction: 'RUN yarn install --frozen-lockfile --production',
  build: 'RUN yarn run build && yarn install --frozen-lockfile --production',
};

/** Returns a Dockerfile for npm with the instructions of another package manager. */
export function translateDockerfile(
  text: string,
  packageManager: PackageManager,
  isYarn1: boolean,
): string {
  const { copy, install, installProduction, build } = isYarn1
    ? YARN_1
    : PACKAGE_MANAGERS[packageManager];
  return (
    text
      .replace(DOCKER.copy, copy)
      // Begins with the next one.
      .replace(DOCKER.installProduction, installProduction)
      .replace(DOCKER.install, install)
      .replace(DOCKER.build, build)
  );
}
