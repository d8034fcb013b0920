/** How the rows of a file are broken: as their author broke them, or by a rule set with its version. */
export const lineBreakNames = ['author', 'netflix.v1', 'netflix.v2'] as const;

/** The rules that the commands and the page use. */
export const presentBreaks = 'netflix.v2' as const satisfies (typeof lineBreakNames)[number];
