package org.sallyport.bean;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says more of a parameter of a {@link Tool}, or of a component of a record that is one. None is needed. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
public @interface Param {

    /** What it is for, for authors and agents. */
    String value() default "";

    /** Its name in the arguments; that in Java, unless another is given. */
    String name() default "";
}
