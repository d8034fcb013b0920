/** The most changes in one correction. A module of its own, so that clients can divide changes without the schemas. */
export const maximumCorrectionChanges = 256;
