/** Node has it; `@types/node` leaves its declaration to the DOM library, which this package does without. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
}
