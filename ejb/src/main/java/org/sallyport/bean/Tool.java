package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a public method of a {@link Backend} a tool. Its parameters are the members of the arguments, but for a {@link ToolContext}; what it returns is
 * the result, now or as a {@link java.util.concurrent.CompletionStage} later. It may wait, and is interrupted when nobody waits for it any more.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Tool {

    /** What it does, for authors and agents. */
    String value();

    /** Its name; that of the method, unless another is given. */
    String name() default "";

    /** Whether it changes nothing. Such a call is not journaled before it leaves, and may be made again. */
    boolean readOnly() default false;

    /** Whether the same call twice has the effect of one, so that it may be made again. */
    boolean idempotent() default false;

    /** Whether it may destroy or send something that cannot be taken back; unless a policy says otherwise, people are asked before. */
    boolean destructive() default false;
}
