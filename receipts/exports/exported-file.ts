/** A runtime as a file for another program. */
export interface ExportedFile {
  readonly text: string;
  /** The receipts and evidence that it was made of: their content ids. */
  readonly madeOf: readonly string[];
}
