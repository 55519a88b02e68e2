package org.sallyport.it.death;

import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Submission;

/** Something that a server has promised before it is killed, and that the next process on its data keeps. */
interface Promise {
    /** How scripts begin that are to be running when the server is killed: they go on once {@link #letGo} was called. */
    String HELD = "console.log('begun'); while (!(await demo.kv_get({ key: 'go' }))) await sleep(200);\n";

    /** Makes the server promise it. Returns when there is something to lose. */
    void make();

    /** Fails unless the server, killed and started again, has kept it. */
    void assertKept();

    /** Lets the scripts of a tenant go on that are {@link #HELD}. */
    static void letGo(Api api) {
        api.run(Submission.javascript("await demo.kv_put({ key: 'go', value: true });"));
    }
}
