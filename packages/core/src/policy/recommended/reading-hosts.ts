/**
 * Where the recommended policy lets pages be read. They publish documentation and packages, and only their
 * owners see what a request says: a site on which others can watch visits, run code or collect requests does not belong here.
 */
export const READING_HOSTS = [
  // Registries, and what `gh` shows.
  "{registry.npmjs.org,registry.yarnpkg.com,pypi.org,crates.io,api.github.com,github.com}",
  // Languages and platforms.
  "{developer.mozilla.org,nodejs.org,docs.python.org,docs.rs,doc.rust-lang.org,pkg.go.dev,go.dev,docs.deno.com,bun.sh}",
  "{www.typescriptlang.org,docs.oracle.com,kotlinlang.org,docs.ruby-lang.org,www.php.net,learn.microsoft.com}",
  "{tc39.es,html.spec.whatwg.org,www.rfc-editor.org,json-schema.org,spec.openapis.org,modelcontextprotocol.io}",
  // Frameworks and libraries.
  "{react.dev,nextjs.org,vuejs.org,nuxt.com,svelte.dev,angular.dev,astro.build,docs.astro.build,remix.run,expressjs.com}",
  "{fastify.dev,hono.dev,docs.nestjs.com,zod.dev,valibot.dev,trpc.io,tanstack.com,tailwindcss.com,orm.drizzle.team}",
  "{www.prisma.io,docs.djangoproject.com,flask.palletsprojects.com,fastapi.tiangolo.com,docs.pydantic.dev,numpy.org}",
  "{pandas.pydata.org,guides.rubyonrails.org,laravel.com,docs.spring.io,ai-sdk.dev}",
  // Providers of models, and questions with answers.
  "{docs.anthropic.com,docs.claude.com,platform.openai.com,ai.google.dev,stackoverflow.com}",
  // Tools.
  "{vitest.dev,jestjs.io,playwright.dev,docs.cypress.io,vite.dev,webpack.js.org,rollupjs.org,esbuild.github.io}",
  "{eslint.org,typescript-eslint.io,prettier.io,biomejs.dev,docs.npmjs.com,pnpm.io,yarnpkg.com,git-scm.com,docs.github.com}",
  "{docs.docker.com,kubernetes.io,www.postgresql.org,www.sqlite.org,redis.io,docs.pytest.org,mypy.readthedocs.io}",
];
