// @ts-check
// The messages of zod in sixty languages are 310 kB, which each process would parse as it starts: an eighth of what a host
// loads, and a quarter of what a command does. Nothing asks for another language than English.

/**
 * Has a bundle take in the English messages of zod alone.
 *
 * @type {import('esbuild').Plugin}
 */
export const englishAlone = {
  name: 'english-alone',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      loader: 'js',
      contents: `export { default as en } from './en.js';`,
    }));
  },
};
