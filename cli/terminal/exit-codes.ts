/** How `media-study` ends. `docs/guides/command-line.md` explains each. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  noHost: 3,
  /** The work was done, and its result is withheld or rejected. */
  withheld: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
