/** The contents of each template, by its name. */
export const TEMPLATES = {
  minimal: 'functions in a single file, without a build step',
  values: 'controllers without decorators, validation, Dockerfile, without a build step',
  'rest-api': 'classes, validation, OpenAPI page, Dockerfile',
} as const;

/** The path to open first, by template. */
export const FIRST_PATHS: Readonly<Record<keyof typeof TEMPLATES, string>> = {
  minimal: '/',
  values: '/api/tasks',
  'rest-api': '/docs',
};

/** Where a project stores its data. */
export const DATABASES = {
  memory: 'none: in memory, without accounts and jobs',
  sqlite: 'SQLite, in a file',
  postgres: 'PostgreSQL, with migrations and transactions',
} as const;

export type Template = keyof typeof TEMPLATES;
export type DatabaseName = keyof typeof DATABASES;

/** The databases of each template. */
export const DATABASES_OF: Readonly<Record<Template, readonly DatabaseName[]>> = {
  minimal: [],
  values: ['memory', 'sqlite', 'postgres'],
  'rest-api': ['sqlite', 'postgres'],
};

/** A template, with what was chosen in it. */
export interface Choice {
  readonly template: Template;
  /** One of {@link DATABASES_OF}. The default is `memory` in `values` without accounts and jobs, otherwise `sqlite`. */
  readonly database?: DatabaseName | undefined;
  /** Whether there are accounts and sign-in. Not in `minimal`, and not in memory. */
  readonly auth?: boolean | undefined;
  /** Whether there are jobs in the background. Not in `minimal`, and not in memory. */
  readonly jobs?: boolean | undefined;
}

/** Returns the folders of `templates/` whose files a project has, the last one last. Some do not exist. */
export function layersOf({ template, auth = false, jobs = false, ...choice }: Choice): string[] {
  if (template === 'minimal') return ['shared', 'stripped', template];
  const compiler = template === 'values' ? 'stripped' : 'compiled';
  const isKept = template === 'rest-api' || auth || jobs;
  const { database = isKept ? 'sqlite' : 'memory' } = choice;
  const added = [...(auth ? ['auth'] : []), ...(jobs ? ['jobs'] : [])];
  const choices = [database, ...added.flatMap((name) => [name, `${database}-${name}`])];
  const variants = choices.map((name) => `${template}-${name}`);
  return ['shared', compiler, 'api', template, ...choices, ...variants];
}

/**
 * Keeps the lines between `#if` and `#endif` if the project has all names that `#if` lists, and none that it lists
 * after `!`.
 *
 * @param names - The layers, and the package manager.
 * @returns The text without the lines that contain `#if` and `#endif`.
 */
export function applyConditions(text: string, names: readonly string[]): string {
  return text.replaceAll(
    /^.*#if ([\w! ]+).*\n([\s\S]*?)^.*#endif.*\n/gm,
    (_, condition: string, lines: string) => {
      const isTrue = condition
        .trim()
        .split(' ')
        .every((name) =>
          name.startsWith('!') ? !names.includes(name.slice(1)) : names.includes(name),
        );
      return isTrue ? lines : '';
    },
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
