package org.sallyport.sandbox.directcall;

import java.util.Set;

/** Names that a bare {@code backend.tool(…)} cannot begin with, and names that a script cannot declare everywhere. */
public final class ReservedNames {
    private static final Set<String> TOOL_ROOTS = Set.of("tools", "mcp");

    /**
     * Present, inherited and possible future members of the global object; leaving these names to the engine is safe.
     */
    private static final Set<String> GLOBALS = Set.of(("__backends __getToolInterface __interfaces"
                    + " LimitError Worker describeTool importScripts postMessage searchTools"
                    + " AbortController AbortSignal AggregateError Array ArrayBuffer"
                    + " AsyncDisposableStack AsyncIterator Atomics BigInt BigInt64Array BigUint64Array Blob "
                    + "Boolean Buffer"
                    + " Bun CustomEvent DOMException DataView Date Deno DisposableStack Error EvalError Event "
                    + "EventSource"
                    + " EventTarget File FinalizationRegistry Float16Array Float32Array Float64Array FormData "
                    + "Function"
                    + " Graal Headers Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Java Map Math"
                    + " ModuleNotAllowedError NaN Number Object Packages Performance PermissionDenied "
                    + "Polyglot Promise Proxy"
                    + " RangeError ReferenceError Reflect RegExp Request Response Set ShadowRealm "
                    + "SharedArrayBuffer String"
                    + " SuppressedError Symbol SyntaxError Temporal TextDecoder TextEncoder ToolError"
                    + " ToolOutcomeUnknownError TypeError URIError URL URLSearchParams Uint16Array "
                    + "Uint32Array Uint8Array"
                    + " Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket XMLHttpRequest "
                    + "__dirname __filename"
                    + " addEventListener after afterAll afterEach alert approvals args arguments artifacts "
                    + "assert atob"
                    + " before beforeAll beforeEach btoa capabilities clearImmediate clearInterval "
                    + "clearTimeout console"
                    + " constructor context crypto decodeURI decodeURIComponent describe document emit "
                    + "encodeURI"
                    + " encodeURIComponent env escape eval events exports expect fetch global globalThis "
                    + "hasOwnProperty"
                    + " isFinite isNaN isPrototypeOf it java library load log mcp mock module modules "
                    + "parseFloat parseInt"
                    + " performance print process progress propertyIsEnumerable queueMicrotask random read "
                    + "require"
                    + " requireModule run search self setImmediate setInterval setTimeout sleep "
                    + "structuredClone test"
                    + " toLocaleString toString tools undefined unescape valueOf waitUntil window")
            .split(" "));

    /** Words that are reserved in some context, or whose meaning depends on the following token. */
    private static final Set<String> KEYWORDS =
            Set.of(("abstract accessor any arguments as async await break case catch"
                            + " class const continue debugger declare default delete do else enum eval export exports "
                            + "extends"
                            + " false finally for from function get if implements import in infer instanceof "
                            + "interface is keyof"
                            + " let module namespace new null of out override package private protected public "
                            + "readonly return"
                            + " satisfies set static super switch this throw true try type typeof undefined unique "
                            + "using var void"
                            + " while with yield NaN Infinity")
                    .split(" "));

    private ReservedNames() {}

    /** Returns whether a name denotes the root of all tools. */
    static boolean isToolRoot(String name) {
        return TOOL_ROOTS.contains(name);
    }

    /** Returns whether a name belongs to the language or the sandbox, and so takes precedence over a backend. */
    public static boolean isReserved(String name) {
        return GLOBALS.contains(name) || KEYWORDS.contains(name) || name.startsWith("__") || name.startsWith("$");
    }

    /** Returns whether a script may declare a variable of this name in every context. */
    static boolean canDeclare(String name) {
        return !KEYWORDS.contains(name) && !name.startsWith("$");
    }
}
