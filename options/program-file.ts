/** A file or a folder that is installed with this program, such as `docs/charts/`. Its sources and its built form are one folder below. */
export const programFile = (path: string): URL => new URL(`../${path}`, import.meta.url);
